/** Boxes in degrees, [west, south, east, north]; west > east means across the antimeridian. */

export type Box = readonly [number, number, number, number];

export function parseBox(text: string | undefined): Box | null {
  const numbers = (text ?? "").split(",").map((part) => (part.trim() === "" ? NaN : Number(part)));
  const [west, south, east, north] = numbers;
  if (numbers.length !== 4 || !numbers.every(Number.isFinite)) return null;
  return [west!, south!, east!, north!];
}

/** The extent to draw: unwrapped, so that a box across the antimeridian stays in one piece. */
export function toExtent([west, south, east, north]: Box): [number, number, number, number] {
  return [west, south, west > east ? east + 360 : east, north];
}

/** A rectangle drawn anywhere on the wrapped map, brought back to -180…180 and -90…90. */
export function fromExtent([west, south, east, north]: number[]): Box {
  const low = clampLatitude(south!);
  const high = clampLatitude(north!);
  if (east! - west! >= 360) return [-180, low, 180, high];
  return [round(wrap(west!)), low, round(wrap(east!) === -180 ? 180 : wrap(east!)), high];
}

function wrap(longitude: number): number {
  return ((((longitude + 180) % 360) + 360) % 360) - 180;
}

function clampLatitude(latitude: number): number {
  return round(Math.max(-90, Math.min(90, latitude)));
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
