select purge_rows(:siteNo::int, :limit::int) as count
