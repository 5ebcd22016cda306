import { Empty } from '../../parts/states.tsx'

export default function Retention() {
  return <Empty />
}
