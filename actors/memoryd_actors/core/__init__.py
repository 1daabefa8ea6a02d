"""What every room stands on: the actor, its errors, threads for work that takes long."""
