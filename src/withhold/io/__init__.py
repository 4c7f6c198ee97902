"""Reading and writing: tables, the artifact file, the manifest. Knows bytes and columns, no method by name.

Every output is written under a temporary name beside its target, flushed to the disk and renamed, so that a reader
sees the earlier file or the new one, whole.
"""
