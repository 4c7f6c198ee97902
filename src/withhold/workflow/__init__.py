"""The main job: from a file to an audited release, and the smaller jobs beside it.

Rooms below know nothing of files and folders together; here they meet.
"""
