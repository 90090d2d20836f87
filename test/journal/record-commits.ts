/**
 * Returns the SQL that records, when a transaction that wrote to a table commits, its synchronous_commit and the end of
 * the write-ahead log at that time.
 */
export const recordCommits = (table: string): string => `
  create table ${table}_commits (synchronous_commit text, wal_end pg_lsn);
  create function ${table}_record() returns trigger language plpgsql as $$ begin
    insert into ${table}_commits values (current_setting('synchronous_commit'), pg_current_wal_insert_lsn());
    return null;
  end $$;
  create constraint trigger record_commit after insert or update on ${table}
    deferrable initially deferred for each row execute function ${table}_record();`;
