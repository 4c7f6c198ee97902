"""Tables and their columns: frames of any library, sensitive attributes, splits and the invertible codec."""
