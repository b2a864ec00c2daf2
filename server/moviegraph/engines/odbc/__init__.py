"""What the SQL Server engine says through ODBC; the only package that imports pyodbc."""
