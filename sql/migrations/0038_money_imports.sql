-- Why a subscription or sale could not be derived: it is named in the import's result, and tried again when it is read again.
alter table revenue_import_work add column failure text;
