import { Empty } from '../../parts/states.tsx'

export default function Setup() {
  return <Empty />
}
