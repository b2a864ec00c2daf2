"""The engine for SQL Server and Azure SQL through ODBC; the only package that imports pyodbc."""
