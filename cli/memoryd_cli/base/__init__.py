"""What every command rests on: options, output, failures, and a daemon that is there."""
