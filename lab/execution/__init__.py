"""Where work is carried out: processes of this machine, or a Dask cluster."""
