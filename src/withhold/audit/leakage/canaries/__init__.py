"""Test leaks of exactly k nats, one file per form, and what an audit of this release with this panel finds of them."""
