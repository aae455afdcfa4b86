-- Whose names are lacking is looked for among the people of one server at a time. Owner of the table: src/identity.
create index identities_server on identities (server_id, id);
