select from move_watermark(:aggregate::text, :watermark::timestamptz)
