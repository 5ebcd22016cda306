import { Empty } from '../../parts/states.tsx'

export default function Funnels() {
  return <Empty />
}
