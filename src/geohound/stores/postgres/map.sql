-- For QGIS and other readers of PostGIS: where services and layers are, as polygons. Search does not use it. A box over the date line
-- is two polygons.
CREATE FUNCTION geometry_of(box jsonb) RETURNS geometry(MultiPolygon, 4326) LANGUAGE sql IMMUTABLE
  SET search_path FROM CURRENT AS $$
  SELECT CASE
    WHEN box IS NULL OR jsonb_typeof(box) <> 'object' THEN NULL
    WHEN (box->>'west')::float8 <= (box->>'east')::float8 THEN ST_Multi(ST_MakeEnvelope(
      (box->>'west')::float8, (box->>'south')::float8, (box->>'east')::float8, (box->>'north')::float8, 4326))
    ELSE ST_Multi(ST_Collect(
      ST_MakeEnvelope((box->>'west')::float8, (box->>'south')::float8, 180, (box->>'north')::float8, 4326),
      ST_MakeEnvelope(-180, (box->>'south')::float8, (box->>'east')::float8, (box->>'north')::float8, 4326)))
  END $$;
CREATE VIEW service_map AS
  SELECT num, id, kind, title, endpoint, state,
    geometry_of(convert_from(body, 'UTF8')::jsonb #> '{extent,box}') AS geom
  FROM service;
CREATE VIEW layer_map AS
  SELECT layer.num, service.id AS service, service.kind, name, layer.title, endpoint, state,
    geometry_of(convert_from(layer.body, 'UTF8')::jsonb #> '{extent,box}') AS geom
  FROM layer JOIN service ON service.num = layer.service;
