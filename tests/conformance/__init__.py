"""What every backend must do, whatever it keeps memory in."""
