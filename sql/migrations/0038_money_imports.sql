-- Why a subscription or sale could not be derived: it is named in the import's result, and tried again when it is read again.
alter table revenue_import_work add column failure text;

-- Digests of the customers, e-mail addresses, visitors and sales of erased people: what an import reads of them from the time before their
-- erasure comes without the person. See src/revenue/erased-payers.ts.
create table erased_payers (
  site_no integer not null,
  digest uuid not null,
  erased_at timestamptz not null,
  primary key (site_no, digest)
);
