// Named here and nowhere in the import map: whoever starts the service doesn't install it.
export { makeBadge } from "npm:badge-maker@6.0.0";
