import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** Returns the width of an element in pixels, whenever it changes; 0 before it is drawn. */
export function useWidth<Element extends HTMLElement>(): [RefObject<Element | null>, number] {
  const ref = useRef<Element>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}

let context: CanvasRenderingContext2D | null | undefined

/** Returns the width of a text in pixels, in the font of numbers on an axis (`chart.module.css`). */
export function textWidth(text: string): number {
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return 7 * text.length
  context.font = `11.5px ${getComputedStyle(document.body).fontFamily}`
  return context.measureText(text).width
}
