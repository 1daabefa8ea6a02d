"""What agents' programs keep of earlier conversations on this machine, read into sessions."""
