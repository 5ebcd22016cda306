-- What the numbers $2 stand for among the texts of site $1.
select text_no as "textNo", text
from value_texts
where site_no = $1::int and text_no = any($2::int[])
