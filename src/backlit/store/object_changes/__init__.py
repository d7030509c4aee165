"""Journalled changes of the objects below items, such as comments."""
