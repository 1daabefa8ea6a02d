"""From a query to candidates in order: both searches, their fusion, and what ranks them."""
