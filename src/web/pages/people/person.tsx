import { Empty } from '../../parts/states.tsx'

export default function PersonPage() {
  return <Empty />
}
