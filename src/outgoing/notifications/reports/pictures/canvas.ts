import { PNG } from 'pngjs'

export type Ink = readonly [red: number, green: number, blue: number]

interface Point {
  x: number
  y: number
}

/** Pixels that are transparent where nothing is drawn. What overlaps takes the ink of the last, and the higher opacity. */
export class Canvas {
  readonly width: number
  readonly height: number
  readonly #png: PNG

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.#png = new PNG({ width, height })
  }

  toPng(): Buffer {
    return PNG.sync.write(this.#png, { deflateLevel: 9 })
  }

  /** Covers a pixel. @param opacity 0 to 1 */
  dot(x: number, y: number, [red, green, blue]: Ink, opacity: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height || opacity <= 0) return
    const { data } = this.#png
    const at = 4 * (y * this.width + x)
    const alpha = Math.round(255 * Math.min(1, opacity))
    if (alpha < data[at + 3]!) return
    data[at] = red
    data[at + 1] = green
    data[at + 2] = blue
    data[at + 3] = alpha
  }

  /** Fills a rectangle of whole pixels. */
  fill(left: number, top: number, right: number, bottom: number, ink: Ink, opacity: number): void {
    for (let y = Math.round(top); y < Math.round(bottom); y++) {
      for (let x = Math.round(left); x < Math.round(right); x++) this.dot(x, y, ink, opacity)
    }
  }

  /** Fills what lies between a line and the bottom. The points are in the order of their x. */
  fillBelow(points: readonly Point[], ink: Ink, opacity: number): void {
    this.#columns(points, (x, edge) => {
      for (let y = Math.max(0, Math.floor(edge)); y < this.height; y++) {
        this.dot(x, y, ink, opacity * Math.min(1, y + 1 - edge))
      }
    })
  }

  /**
   * Draws a line with smooth edges.
   * @param dash length of the dashes and of the gaps between them; none for an unbroken line
   */
  line(points: readonly Point[], thickness: number, ink: Ink, opacity: number, dash?: number): void {
    let before = 0
    for (const [index, end] of points.entries()) {
      const start = points[index - 1]
      if (!start) continue
      const length = Math.hypot(end.x - start.x, end.y - start.y)
      this.#segment(start, end, length, thickness / 2, (x, y, along, coverage) => {
        const isGap = dash !== undefined && Math.floor((before + along) / dash) % 2 === 1
        if (!isGap) this.dot(x, y, ink, opacity * coverage)
      })
      before += length
    }
  }

  #segment(
    start: Point,
    end: Point,
    length: number,
    radius: number,
    cover: (x: number, y: number, along: number, coverage: number) => void,
  ): void {
    const reach = radius + 1
    const [top, bottom] = [Math.min(start.y, end.y) - reach, Math.max(start.y, end.y) + reach]
    const [left, right] = [Math.min(start.x, end.x) - reach, Math.max(start.x, end.x) + reach]
    const [dx, dy] = [(end.x - start.x) / (length || 1), (end.y - start.y) / (length || 1)]
    for (let y = Math.floor(top); y <= bottom; y++) {
      for (let x = Math.floor(left); x <= right; x++) {
        const [px, py] = [x + 0.5 - start.x, y + 0.5 - start.y]
        const along = Math.min(length, Math.max(0, px * dx + py * dy))
        const distance = Math.hypot(px - along * dx, py - along * dy)
        cover(x, y, along, Math.min(1, radius + 0.5 - distance))
      }
    }
  }

  /** Calls `draw` with the height of the line in the middle of each column. */
  #columns(points: readonly Point[], draw: (x: number, y: number) => void): void {
    for (const [index, end] of points.entries()) {
      const start = points[index - 1]
      if (!start || end.x <= start.x) continue
      const from = Math.ceil(start.x - 0.5)
      for (let x = Math.max(0, from); x + 0.5 < end.x && x < this.width; x++) {
        draw(x, start.y + ((end.y - start.y) * (x + 0.5 - start.x)) / (end.x - start.x))
      }
    }
  }
}
