"""Carrying records through a fitted transform: here in a stream on one machine."""
