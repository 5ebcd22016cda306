-- What the numbers $1 stand for.
select text_no as "textNo", text from fold_texts where text_no = any($1::int[])
