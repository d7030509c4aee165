"""The screen that imports a file of another tracker: its mapping, a preview, and the progress."""
