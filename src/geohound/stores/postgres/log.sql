-- A partition of the log for each task. Whoever may only write rows may call these functions of the owner.
CREATE FUNCTION add_log(task bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  parent text;
  part text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['url', 'source', 'mark'] LOOP
    part := parent || '_' || task;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part, parent);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
      parent, part, task << 32, (task + 1) << 32);
  END LOOP;
END $$;
CREATE FUNCTION drop_log(task bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  parent text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['url', 'source', 'mark'] LOOP
    EXECUTE format('DROP TABLE IF EXISTS %I', parent || '_' || task);
  END LOOP;
END $$;
CREATE FUNCTION log_of_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_log(NEW.id);
    RETURN NEW;
  END IF;
  PERFORM drop_log(OLD.id);
  RETURN OLD;
END $$;
CREATE TRIGGER task_has_log AFTER INSERT OR DELETE ON task FOR EACH ROW EXECUTE FUNCTION log_of_task();
