import { useValueText } from '../filters/value-text.ts'

interface Device {
  size?: string
  /** The same, under the name that the event log has. */
  device?: string
  browser: string
  os: string
}

/** Returns a device in one line: `Phone · Safari · iOS`. */
export function useDeviceText(): (device: Device) => string {
  const textOf = useValueText()
  return ({ size, device, browser, os }) => {
    const kind = size || device
    return [kind && textOf('size', kind), browser, os].filter(Boolean).join(' · ') || '–'
  }
}
