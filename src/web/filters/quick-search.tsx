export default function QuickSearch(_: { onClose(): void }) {
  return null
}
