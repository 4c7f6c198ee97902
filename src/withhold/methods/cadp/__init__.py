"""CADP: its flow, its exact noise, what it promises and what releases have cost."""
