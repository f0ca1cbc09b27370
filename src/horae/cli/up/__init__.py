"""`horae up`: a process tree on one terminal."""
