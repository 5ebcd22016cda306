import { Empty } from '../../parts/states.tsx'

export default function WebVitals() {
  return <Empty />
}
