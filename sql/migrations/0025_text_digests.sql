-- Texts of folds are told apart by 16 bytes of SHA-256: of two that have one MD5, which anybody can make, one had no number.

alter table fold_texts rename to value_texts;
alter table value_texts rename column digest to sha256;
alter table value_texts
  alter column sha256 type uuid
  using encode(substring(sha256(convert_to(text, 'UTF8')) from 1 for 16), 'hex')::uuid;

-- For processes of an earlier release that go on until they are restarted: they read as before, and what they would fold fails,
-- since nobody can insert the digest of a view. Otherwise they would number texts a second time.
create view fold_texts as
select text_no, site_no, md5(text)::uuid as digest, text
from value_texts;
