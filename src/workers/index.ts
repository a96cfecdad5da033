export { Delivery, installDelivery } from './delivery.ts';
export type { DeliveryParts, ScheduledTask } from './delivery.ts';
export { Worker } from './worker.ts';
export type { WorkerParts, WorkerSettings } from './worker.ts';
export { scheduleTasks } from './schedule.ts';
