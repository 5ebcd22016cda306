let context: CanvasRenderingContext2D | null | undefined

/** Returns the width of a text in pixels, in the font of numbers on an axis (`plot.module.css`). */
export function textWidth(text: string): number {
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return 7 * text.length
  context.font = `11.5px ${getComputedStyle(document.body).fontFamily}`
  return context.measureText(text).width
}
