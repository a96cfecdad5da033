export { claimKey } from './capability.ts';
export type { Capability, CapabilityClaim, Identity } from './capability.ts';
export { CapabilityService } from './capability-service.ts';
