-- Teams without users that have the sites of an archive until they are whole.

-- The team that gets the sites; null for every other team. Not a foreign key: that team may be deleted meanwhile.
alter table teams add column restores_to uuid;
