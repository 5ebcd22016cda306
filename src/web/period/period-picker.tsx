export function PeriodPicker() {
  return null
}
