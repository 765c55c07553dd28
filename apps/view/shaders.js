// What the graphics card runs. Particles are drawn as points whose pixels are lifted onto spheres.

const place = `
uniform vec3 low, size;        // [m] the box that the 16-bit places count in
uniform float radius;          // [m] of a drawn particle
uniform float scale;           // [px/m], in perspective at a depth of 1 m
uniform bool flatView;
uniform vec3 sliceAxis;
uniform vec2 sliceRange;       // [m] along the axis: what lies outside is not drawn
in float value;
out vec3 centre;
out float shade;
void main() {
  vec3 place = low + position * size;
  vec4 eye = modelViewMatrix * vec4(place, 1.0);
  centre = eye.xyz;
  float along = dot(place, sliceAxis);
  if (along < sliceRange.x || along > sliceRange.y) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);  // behind the far end of the view
    gl_PointSize = 1.0;
    return;
  }
  shade = value;
  gl_Position = projectionMatrix * eye;
  gl_PointSize = max(2.0 * radius * scale / (flatView ? 1.0 : -eye.z), 1.5);
}`;

// The part that all sphere shaders begin with: n is the normal in the eye's frame, p the point on the sphere.
const sphere = `
precision highp float;
uniform mat4 projectionMatrix;
uniform float radius;
in vec3 centre;
in float shade;
#define SPHERE \\
  vec2 q = vec2(2.0 * gl_PointCoord.x - 1.0, 1.0 - 2.0 * gl_PointCoord.y); \\
  float r2 = dot(q, q); \\
  if (r2 > 1.0) discard; \\
  vec3 n = vec3(q, sqrt(1.0 - r2)); \\
  vec3 p = centre + radius * n; \\
  vec4 clip = projectionMatrix * vec4(p, 1.0);
`;

export const particles = {
  vertex: place,
  fragment: `${sphere}
uniform sampler2D colours;
uniform vec2 valueRange, colourRange;   // of the frame, and of the colours
uniform bool flatView;
uniform vec3 light;                     // towards it, in the eye's frame
out vec4 colour;
void main() {
  SPHERE
  float v = mix(valueRange.x, valueRange.y, shade);
  float t = clamp((v - colourRange.x) / (colourRange.y - colourRange.x), 0.0, 1.0);
  vec3 base = texture(colours, vec2(t * 255.0 / 256.0 + 0.5 / 256.0, 0.5)).rgb;
  if (flatView) {
    colour = vec4(base * mix(1.0, 0.72, smoothstep(0.55, 1.0, r2)), 1.0);
    gl_FragDepth = gl_FragCoord.z;
    return;
  }
  float lit = 0.42 + 0.58 * max(dot(n, light), 0.0);
  float shine = pow(max(dot(reflect(-light, n), vec3(0.0, 0.0, 1.0)), 0.0), 30.0);
  colour = vec4(base * lit + 0.12 * shine, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
}`,
};

export const depth = {
  vertex: place,
  fragment: `${sphere}
out float eyeDepth;
void main() {
  SPHERE
  eyeDepth = -p.z;
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
}`,
};

// With the radius at which a sphere has a particle's volume, the chords add up to the way through the fluid.
export const thickness = {
  vertex: place,
  fragment: `${sphere}
out float way;
void main() {
  SPHERE
  way = 2.0 * radius * n.z;
}`,
};

// In 2D: a bump per particle. One of radius R has the integral pi R^2 / 3, so that with R = 1.6 spacings the sum is 1 inside of
// the fluid.
export const bumps = {
  vertex: place,
  fragment: `${sphere}
out float sum;
void main() {
  SPHERE
  sum = (1.0 - r2) * (1.0 - r2) * 3.0 / (3.1416 * 1.6 * 1.6);
}`,
};

export const fullscreen = `
out vec2 spot;
void main() {
  spot = position.xy * 0.5 + 0.5;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

// One direction of a filter that smooths depths within a narrow range: nearer neighbours pull no further than the range,
// farther ones belong to something behind and are left out (Truong and Yuksel 2018).
export const smooth = `
precision highp float;
uniform sampler2D depths;
uniform vec2 along;            // one pixel
uniform float reach;           // [m] of the filter
uniform float range;           // [m]
uniform float scale;           // [px/m] at a depth of 1 m
in vec2 spot;
out float smoothed;
void main() {
  float d0 = texture(depths, spot).r;
  if (d0 > 1e6) { smoothed = d0; return; }
  float taps = clamp(reach * scale / d0, 1.0, 28.0), sum = d0, weights = 1.0;
  for (int i = 1; i <= 28; ++i) {
    if (float(i) > taps) break;
    float w = exp(-2.0 * float(i * i) / (taps * taps));
    float a = texture(depths, spot + float(i) * along).r, b = texture(depths, spot - float(i) * along).r;
    // In pairs, so that a missing side does not tilt the surface.
    if (a > d0 + range || b > d0 + range) continue;
    sum += w * (max(a, d0 - range) + max(b, d0 - range));
    weights += 2.0 * w;
  }
  smoothed = sum / weights;
}`;

export const water = `
precision highp float;
uniform sampler2D depths, ways, behind, behindDepth;
uniform mat4 inverseProjection, eyeToWorld, projectionMatrix;
uniform vec2 pixel;
uniform vec3 light, up, skyHigh, skyLow, absorption;   // absorption [1/m]
uniform float metre;                               // [m] the size of the scene
in vec2 spot;
out vec4 colour;
vec3 eyeAt(vec2 at, float d) {
  vec4 ray = inverseProjection * vec4(2.0 * at - 1.0, 1.0, 1.0);
  ray.xyz /= ray.w;
  return ray.xyz * (d / -ray.z);
}
float solidDepth(vec2 at) {
  vec4 e = inverseProjection * vec4(2.0 * at - 1.0, 2.0 * texture(behindDepth, at).r - 1.0, 1.0);
  return -e.z / e.w;
}
vec3 sky(vec3 direction) {
  return mix(skyLow, skyHigh, smoothstep(-0.1, 0.7, dot(direction, up)));
}
void main() {
  float d = texture(depths, spot).r;
  vec3 under = texture(behind, spot).rgb;
  if (d > 1e6 || d > solidDepth(spot)) { colour = vec4(under, 1.0); return; }
  vec3 p = eyeAt(spot, d);
  // Differences to the side where the surface goes on.
  vec2 x = vec2(pixel.x, 0.0), y = vec2(0.0, pixel.y);
  vec3 r = eyeAt(spot + x, texture(depths, spot + x).r) - p, l = p - eyeAt(spot - x, texture(depths, spot - x).r);
  vec3 t = eyeAt(spot + y, texture(depths, spot + y).r) - p, b = p - eyeAt(spot - y, texture(depths, spot - y).r);
  vec3 n = normalize(cross(abs(r.z) < abs(l.z) ? r : l, abs(t.z) < abs(b.z) ? t : b));
  vec3 v = normalize(-p);
  if (dot(n, v) < 0.0) n = -n;
  vec2 e = 3.0 * pixel;
  float way = 0.2 * (texture(ways, spot).r + texture(ways, spot + vec2(e.x, 0.0)).r + texture(ways, spot - vec2(e.x, 0.0)).r +
                     texture(ways, spot + vec2(0.0, e.y)).r + texture(ways, spot - vec2(0.0, e.y)).r);

  // What lies behind is seen bent: a shift along the normal that grows with the way through the water.
  vec2 bent = clamp(spot + n.xy * 0.06 * min(way / (0.25 * metre), 1.0), 0.0, 1.0);
  vec3 seen = texture(behind, bent).rgb;
  if (solidDepth(bent) < d) seen = under;
  vec3 body = vec3(0.05, 0.27, 0.42) * (0.75 + 0.35 * max(dot(n, light), 0.0));
  vec3 inside = mix(body, seen * vec3(0.93, 0.98, 1.0), exp(-absorption * way));

  float fresnel = 0.02 + 0.98 * pow(1.0 - max(dot(n, v), 0.0), 5.0);
  vec3 mirrored = (eyeToWorld * vec4(reflect(-v, n), 0.0)).xyz;
  float shine = pow(max(dot(reflect(-light, n), v), 0.0), 90.0);
  colour = vec4(mix(inside, sky(mirrored), 0.85 * fresnel) + 0.55 * shine, 1.0);
}`;

export const flatWater = `
precision highp float;
uniform sampler2D sums, behind;
uniform vec2 pixel;
in vec2 spot;
out vec4 colour;
void main() {
  float s = texture(sums, spot).r;
  vec3 under = texture(behind, spot).rgb;
  float slope = length(vec2(texture(sums, spot + vec2(pixel.x, 0.0)).r - texture(sums, spot - vec2(pixel.x, 0.0)).r,
                            texture(sums, spot + vec2(0.0, pixel.y)).r - texture(sums, spot - vec2(0.0, pixel.y)).r)) * 0.5;
  float away = (s - 0.3) / max(slope, 1e-3);                 // [px] from the shore; a drop alone has 0.37 in its middle
  float inside = clamp(away + 0.5, 0.0, 1.0);
  float rim = inside * (1.0 - smoothstep(1.0, 3.5, away));
  vec3 body = mix(vec3(0.24, 0.58, 0.86), vec3(0.10, 0.38, 0.70), smoothstep(0.3, 1.0, s));
  colour = vec4(mix(under, mix(body, vec3(0.62, 0.86, 1.0), 0.8 * rim), inside), 1.0);
}`;

// The ground: tiles that fade into the distance.
export const ground = {
  vertex: `
out vec3 at;
out vec3 eye;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  at = world.xyz;
  eye = cameraPosition;
  gl_Position = projectionMatrix * viewMatrix * world;
}`,
  fragment: `
precision highp float;
uniform vec3 one, two, far;
uniform float tile, reach;     // [m]
uniform vec3 middle, across, along;
in vec3 at;
in vec3 eye;
out vec4 colour;
void main() {
  vec2 p = vec2(dot(at - middle, across), dot(at - middle, along));
  vec2 w = max(fwidth(p / tile), 1e-4), f = abs(fract(p / tile) - 0.5);
  vec2 line = smoothstep(0.5 - 0.006 - w, vec2(0.5 - 0.006) + w * 0.2, f);
  vec3 base = mix(one, two, max(line.x, line.y) * (1.0 - smoothstep(0.2, 0.6, max(w.x, w.y))));
  colour = vec4(mix(base, far, smoothstep(0.15, 1.0, length(p) / reach)), 1.0);
}`,
};
