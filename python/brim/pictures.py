"""Pictures by Brim's own renderer, which needs neither a display nor a graphics card."""
import os
import tempfile

from . import _core


class Shown:
    """What can be shown as a picture: has _snapshot, and _scene of the library."""

    def picture(self, style="water", view="", width=800, height=450, label=True):
        """A picture as the bytes of a PNG file. ``style`` is one of ``brim.picture_styles()``, ``view`` as for `brim render`: front, side, top, iso, or
        "azimuth,elevation[,zoom]" in degrees."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "picture.png")
            self.render(path, style, view, width, height, label)
            with open(path, "rb") as f:
                return f.read()

    def render(self, path, style="water", view="", width=1280, height=720, label=True):
        """Writes a picture as a PNG file."""
        snapshot = self._snapshot
        _core.Pictures(_library_scene(self), [snapshot], width, height, style, view, label).write(os.fspath(path), snapshot)
        return os.fspath(path)

    def _repr_png_(self):
        return self.picture()

    def surface(self, method="anisotropic", voxel=0.5):
        """The surface of the liquid as triangles: vertices [m] (n, 3), triangles (m, 3), velocities of the vertices [m/s] (n, 3). 3D only."""
        return _core.surface(self._snapshot, _library_scene(self).spacing, method, float(voxel))

    def save_surface(self, path, method="anisotropic", voxel=0.5):
        """Writes the surface as .ply, .obj or .vdb."""
        _core.write_surface(os.fspath(path), self._snapshot, _library_scene(self).spacing, method, float(voxel))
        return os.fspath(path)


def _library_scene(shown):
    return shown._core.scene if hasattr(shown, "_core") else shown._scene
