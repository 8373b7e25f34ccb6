"""The capture preview: what a session would leave."""
