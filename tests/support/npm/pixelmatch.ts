// Named here and nowhere in the import map: whoever starts the service doesn't install it.
export { default } from "npm:pixelmatch@8.0.0";
