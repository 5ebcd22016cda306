import { Canvas, type Ink } from './canvas.ts'

/** Size at which mails show a picture. It has twice as many pixels, for fine screens. */
export const PICTURE = { width: 552, height: 72 }
const SCALE = 2
/** Room for the thickness of a line. */
const MARGIN = 4

/** Inks that can be seen on white and on black: mail programs choose the background, and pictures have none. */
const TRAFFIC: Ink = [22, 140, 172]
const MONEY: Ink = [214, 128, 48]
const QUIET: Ink = [140, 140, 136]

interface Series {
  values: readonly number[]
  previous: readonly number[]
}

/** Draws a series as a line above a wash, and that of the period before as dashes. */
export function linePicture({ values, previous }: Series): Buffer {
  const canvas = new Canvas(PICTURE.width * SCALE, PICTURE.height * SCALE)
  const highest = Math.max(1, ...values, ...previous)
  const points = (series: readonly number[]) =>
    series.map((value, index) => ({
      x: MARGIN + (index * (canvas.width - 2 * MARGIN)) / Math.max(1, series.length - 1),
      y: canvas.height - MARGIN - (Math.max(0, value) / highest) * (canvas.height - 2 * MARGIN),
    }))
  const line = points(values)
  canvas.fillBelow(line, TRAFFIC, 0.14)
  canvas.line(points(previous), 2, QUIET, 0.75, 8)
  canvas.line(line, 4, TRAFFIC, 1)
  return canvas.toPng()
}

/** Draws a series as bars; what is below 0 has none. */
export function barPicture({ values }: Pick<Series, 'values'>): Buffer {
  const canvas = new Canvas(PICTURE.width * SCALE, (PICTURE.height / 2) * SCALE)
  const highest = Math.max(1, ...values)
  const step = canvas.width / Math.max(1, values.length)
  const width = Math.min(48, step * 0.6)
  for (const [index, value] of values.entries()) {
    const height = (Math.max(0, value) / highest) * (canvas.height - MARGIN)
    const left = step * index + (step - width) / 2
    canvas.fill(left, canvas.height - MARGIN / 2, left + width, canvas.height, QUIET, 0.5)
    canvas.fill(left, canvas.height - height, left + width, canvas.height, MONEY, 0.85)
  }
  return canvas.toPng()
}
