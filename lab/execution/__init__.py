"""Execution of independent pieces of work: processes of this machine, or a Dask cluster."""
