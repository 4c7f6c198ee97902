"""What IIDM is compared with: one file each, built from the same game and an objective of its own."""
