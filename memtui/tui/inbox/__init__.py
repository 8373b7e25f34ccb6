"""The inbox: what agents wrote, to be approved, edited or taken back."""
